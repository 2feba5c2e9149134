from cart import total

for args, want in [(([2, 3],), 5), (([10, 10], 50), 10)]:
    got = total(*args)
    print("ok   " if got == want else "FAIL ", args, "is", got, "and should be", want)
    failed = got != want
raise SystemExit(failed)
