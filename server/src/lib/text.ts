/** Cuts a text to at max `max` UTF-16 units, without splitting a surrogate pair. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '')

/** Unicode case folding: texts that differ only in case fold to the same text. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
