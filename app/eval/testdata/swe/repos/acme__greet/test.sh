. ./greet.sh
case $1 in
name) test "$(greet Mei)" = "Hello Mei" ;;
*) exit 2 ;;
esac
