# Completion of postern for fish: postern completion fish | source
function __postern_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2> /dev/null
end
complete -c postern -f -a '(__postern_complete)'
complete -c postern -n 'test (count (__postern_complete)) -eq 0' -F
