#compdef postern
# Completion of postern for zsh: eval "$(postern completion zsh)", after compinit
_postern() {
  local name about
  local -a names fields
  while IFS=$'\t' read -r name about; do
    if [[ "$name" == *= ]]; then fields+=("$name"); else names+=("${name//:/\\:}:$about"); fi
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)
  (( $#names )) && _describe 'postern' names
  (( $#fields )) && compadd -S '' -a fields
  (( $#names + $#fields )) || _files
}
compdef _postern postern
