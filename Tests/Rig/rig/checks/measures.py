def measures(bench): pass
