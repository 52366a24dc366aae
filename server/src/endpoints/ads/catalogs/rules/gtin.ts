/** The check digit of a GTIN, by weights of 3 and 1 from the right (GS1). */
function hasGtinCheck(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** The check digit of an ISBN-10, by weights of 10 to 1, where X is ten (ISO 2108 before 2007). */
function hasIsbn10Check(digits: string): boolean {
  const values = [...digits].map((digit) => (digit === 'X' ? 10 : Number(digit)))
  return values.reduce((total, value, place) => total + value * (10 - place), 0) % 11 === 0
}

/** Whether a text is a UPC, EAN, JAN or ISBN: 8, 12, 13 or 14 digits, or an ISBN of 10, with a correct check digit. */
export const isGtin = (text: string): boolean =>
  /^\d{9}[\dX]$/.test(text) ? hasIsbn10Check(text) : /^(\d{8}|\d{12,14})$/.test(text) && hasGtinCheck(text)
