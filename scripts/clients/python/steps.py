def run(steps):
    """Runs the steps, and prints a line for each that run.ts counts."""
    for name, step in steps.items():
        try:
            step()
            print(f"ok {name}")
        except Exception as fault:
            print(f"not ok {name}: {type(fault).__name__} {' '.join(str(fault).split())[:500]}")
