/** Texts that differ in case alone fold to the same text, over all of Unicode. */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
