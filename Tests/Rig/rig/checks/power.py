def cuts(bench): pass
