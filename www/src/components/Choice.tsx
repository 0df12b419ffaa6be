import { useId } from 'react';

interface ChoiceProps<T extends string> {
  legend: string;
  /** Drawn as a switch with two positions instead of as tabs. */
  segmented?: boolean;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of several, as native radio buttons: arrow keys and screen readers come for free. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { legend, segmented = false, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={segmented ? 'choice segmented' : 'choice'}>
      <legend className="visually-hidden">{legend}</legend>
      <div className="choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
