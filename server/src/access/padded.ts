/** Whether a text has white space at its beginning or end. */
export const isPadded = (text: string): boolean => text.trim().length < text.length

export const PADDED = 'It has white space at its beginning or end, as a text that was read from a file. Trim it.'
