# Completion of postern for bash: eval "$(postern completion bash)"
_postern() {
  local line="${COMP_LINE:0:COMP_POINT}" prefix="" candidate
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  # bash replaces only the part of the word after the last "=".
  local current="${words[${#words[@]}-1]}"
  [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]] && prefix="${current%%=*}="
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("${candidate#"$prefix"}")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2> /dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2> /dev/null; fi
  return 0
}
complete -o default -F _postern postern
