/** A whole number that JSON writes digit for digit, however large it is. For answers alone: nothing can be calculated with it. */
export const exactNumber = (digits: string): number => (JSON as unknown as { rawJSON(text: string): number }).rawJSON(digits)
