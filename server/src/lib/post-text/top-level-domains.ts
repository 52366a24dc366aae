import { createRequire } from 'node:module'

interface TopLevelDomains {
  ascii: Set<string>
  /** In Unicode, not in Punycode. */
  unicode: Set<string>
  longestUnicode: number
}

let loaded: TopLevelDomains | undefined

/** The list is read with the first text that may contain a domain: a start does not need it. */
function load(): TopLevelDomains {
  const all = createRequire(import.meta.url)('tlds') as string[]
  const unicode = all.filter((name) => /[^a-z]/.test(name))
  return {
    ascii: new Set(all.filter((name) => /^[a-z]+$/.test(name))),
    unicode: new Set(unicode),
    longestUnicode: Math.max(...unicode.map(({ length }) => length)),
  }
}

const lengthInUnicode = (label: string, { unicode, longestUnicode }: TopLevelDomains): number => {
  for (let length = Math.min(label.length, longestUnicode); length > 0; length -= 1)
    if (unicode.has(label.slice(0, length).toLowerCase())) return length
  return 0
}

/** The length of the top-level domain that a label starts with, in UTF-16 units; 0 if there is none. */
export function topLevelDomainLength(label: string): number {
  loaded ??= load()
  const punycode = /^xn--[-0-9a-z]+/i.exec(label)?.[0]
  if (punycode !== undefined) return punycode.length
  const letters = /^[a-z]+/i.exec(label)?.[0] ?? ''
  if (letters === '') return lengthInUnicode(label, loaded)
  return loaded.ascii.has(letters.toLowerCase()) ? letters.length : 0
}
