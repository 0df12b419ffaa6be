export const cn = (...names: (string | undefined)[]): string => names.filter(Boolean).join(' ');
