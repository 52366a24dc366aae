/** The text, or as much of it as may be told of what a stranger wrote. */
export const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)
