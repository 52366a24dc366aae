/** The beginning of a text, at most so many UTF-16 units of it, and no half of a character. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** Texts that differ in case alone fold to the same text, over all of Unicode. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
