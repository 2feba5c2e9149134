test "$(cat /app/hello.txt)" = "Hello, world!"
