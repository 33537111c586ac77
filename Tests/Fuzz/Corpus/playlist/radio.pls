[playlist]
NumberOfEntries=1
File1=http://h/radio.mp3
Title1=Radio
Length1=-1
