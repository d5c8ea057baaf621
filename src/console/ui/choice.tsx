interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
  /** True for a list with its label, as in forms. Otherwise the options are in one row, and only screen readers get the label. */
  isList?: boolean;
}

/** A choice of a few options that are all visible. */
export function Choice<Value extends string>({ label, options, value, onChange, isList }: ChoiceProps<Value>) {
  return (
    <fieldset class={isList ? '' : 'segments'}>
      <legend class={isList ? '' : 'visually-hidden'}>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class={isList ? 'choice' : ''}>
          <input type="radio" name={label} checked={option === value} onChange={() => onChange(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
