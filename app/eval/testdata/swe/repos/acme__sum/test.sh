. ./sum.sh
case $1 in
two) test "$(sum 1 2)" = 3 ;;
none) test "$(sum)" = 0 ;;
*) exit 2 ;;
esac
