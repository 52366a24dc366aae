import { createRequire } from 'node:module'
import { lazy } from '../lazy.ts'

interface TopLevelDomains {
  ascii: Set<string>
  /** In Unicode, not in Punycode. */
  unicode: Set<string>
  longestUnicode: number
}

/** The list is read with the first text that may contain a domain: a start does not need it. */
const topLevelDomains = lazy((): TopLevelDomains => {
  const all = createRequire(import.meta.url)('tlds') as string[]
  const unicode = all.filter((name) => /[^a-z]/.test(name))
  return {
    ascii: new Set(all.filter((name) => /^[a-z]+$/.test(name))),
    unicode: new Set(unicode),
    longestUnicode: Math.max(...unicode.map(({ length }) => length)),
  }
})

const lengthInUnicode = (label: string, { unicode, longestUnicode }: TopLevelDomains): number => {
  for (let length = Math.min(label.length, longestUnicode); length > 0; length -= 1)
    if (unicode.has(label.slice(0, length).toLowerCase())) return length
  return 0
}

/** The length of the top-level domain that a label starts with, in UTF-16 units; 0 if there is none. */
export function topLevelDomainLength(label: string): number {
  const punycode = /^xn--[-0-9a-z]+/i.exec(label)?.[0]
  if (punycode !== undefined) return punycode.length
  const letters = /^[a-z]+/i.exec(label)?.[0] ?? ''
  if (letters === '') return lengthInUnicode(label, topLevelDomains())
  return topLevelDomains().ascii.has(letters.toLowerCase()) ? letters.length : 0
}
