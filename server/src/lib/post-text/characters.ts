/**
 * Character classes of the service's text rules, as members of a regular expression's class with the flag `v`. They follow the public
 * `twitter-text` 3.1, with the Unicode version of the runtime.
 */
export const LATIN = String.raw`a-zÀ-ÖØ-öø-ÿĀ-ɏɓɔɖɗəɛɣɨɯɲʉʻ\u0300-\u036fḀ-ỿ`
export const CYRILLIC = String.raw`\u0400-\u04ff`
export const SPACES = String.raw`\t-\r \x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
export const DIRECTIONS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`
export const PUNCTUATION = String.raw`!'#%&\(\)*+,\\\-.\/:;<=>?@\[\]^_\{\|\}~$`
/** Characters that no post may contain: two non-characters, and the byte order mark. */
export const INVALID = String.raw`\ufffe\ufeff\uffff`
/** Letters, marks and digits of a hashtag, and the signs that may stand among them. */
export const TAG_CHARACTERS = String.raw`\p{L}\p{M}\p{Nd}_\u200c\u200d\ua67e\u05be\u05f3\u05f4～〜゛゜゠・〃\u0f0b\u0f0c·`

/** Whether a text contains a character that no post may contain. */
export const hasInvalidCharacters = (text: string): boolean => /[\ufffe\ufeff\uffff]/.test(text)
