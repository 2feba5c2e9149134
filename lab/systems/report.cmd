@echo off
rem What of rein works on this machine, as a report to send back: report.cmd [C:\path\rein.exe]. It takes some minutes, needs no key and no
rem network, works in a directory of its own, which it removes, and prints "works" or "FAILS" for each feature.
setlocal
set rein=rein
if not "%~1"=="" set rein=%~f1
set work=%TEMP%\rein-report-%RANDOM%
set REIN_HOME=%work%\home
mkdir "%work%\site"
cd /d "%work%\site"
echo hello>a.txt
>script.yaml echo turns:
>>script.yaml echo   - calls: [{name: edit_file, args: {path: a.txt, old_text: hello, new_text: changed}}]
>>script.yaml echo   - text: Done.
>made.yaml echo turns:
>>made.yaml echo   - calls: [{name: write_file, args: {path: c.txt, content: "made by a call"}}]
>>made.yaml echo   - text: Done.
set failed=0
ver
"%rein%" version >out 2>&1
call :check "version" "rein "
"%rein%" call read_file "{\"path\":\"a.txt\"}" >out 2>&1
call :check "read a file" "hello"
"%rein%" call read_file "{\"path\":\"%work:\=/%/x\"}" >out 2>&1
call :check "a place outside is refused" "outside the workspace"
"%rein%" call read_file "{\"path\":\"a.txt:stream\"}" >out 2>&1
call :check "a stream is refused" "Denied"
"%rein%" run --model script/script.yaml --mode full --session-id first "do it" >out 2>&1 <nul
call :check "a run" "Done."
type a.txt >out
call :check "the edit" "changed"
"%rein%" sessions list >out 2>&1
call :check "journal and sessions" "do it"
"%rein%" sessions doctor >out 2>&1
call :check "sessions doctor" "0 with problems"
"%rein%" sessions search changed >out 2>&1
call :check "search" "first"
"%rein%" undo >out 2>&1 <nul
type a.txt >>out
call :check "undo of an edit" "hello"
"%rein%" run --model script/made.yaml --mode full "make it" >out 2>&1 <nul
type c.txt >out
call :check "a new file" "made by a call"
"%rein%" undo >out 2>&1 <nul
>out echo gone
if exist c.txt echo it is still there >out
call :check "undo of a new file" "gone"
"%rein%" memory add --user "Tests run with make check." >out 2>&1
"%rein%" memory list >out 2>&1
call :check "memory" "make check"
"%rein%" backup "%work%\b.tar.zst" >out 2>&1
call :check "backup" "saved in"
"%rein%" restore --check "%work%\b.tar.zst" >out 2>&1
call :check "restore, checked" "can be restored"
"%rein%" call --mode full bash "{\"command\":\"echo shell 42\"}" >out 2>&1
call :check "a shell, which Git for Windows brings" "shell 42"
"%rein%" demo >out 2>&1 <nul
call :check "demo, which needs a shell" "done"
echo --- rein doctor
"%rein%" doctor
cd /d "%TEMP%"
rmdir /s /q "%work%"
exit /b %failed%

:check
find %2 out >nul 2>&1
if not errorlevel 1 (
	echo works  %~1
) else (
	set failed=1
	echo FAILS  %~1
	type out
)
exit /b 0
