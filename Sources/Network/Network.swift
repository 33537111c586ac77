internal import Hardware
