import { useId } from 'react';

interface ChoiceProps<T extends string> {
  legend: string;
  /** Drawn as a switch with two positions instead of as tabs. */
  segmented?: boolean;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of several, as native radio buttons, and on a narrow screen as a native menu: arrow keys and screen readers come for free. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { legend, segmented = false, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={segmented ? 'choice segmented' : 'choice'}>
      <legend className="visually-hidden">{legend}</legend>
      {!segmented && (
        // Where the tabs would take half of a narrow screen.
        <select
          className="choice-menu"
          aria-label={legend}
          value={value}
          onChange={({ target }) => onChange(target.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
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
