import type { TSchema, TString, TUnsafe } from 'typebox'
import { countryCodeOf } from '../../lib/countries.ts'
import { exactNumber, type Long, wholeNumber } from '../../lib/numbers.ts'
import { isRealMoment, wholeSeconds } from '../../lib/time.ts'
import { withCodec } from './codec.ts'
import { anything, id, matching, moment, type WordOptions } from './words.ts'

/** Text of a pattern, with what a message says was expected. */
export const matchingAds = (pattern: string, expects: string, about: WordOptions) => withCodec(matching(pattern, about), { expects })

/** What is read in either case is repeated in the case in which it came. */
const asSent = (text: string) => text

/** A code of so many capital letters, read in either case. */
export const letterCode = (letters: number, expects: string, about: WordOptions) =>
  withCodec(matchingAds(`^[A-Z]{${letters}}$`, expects, about), {
    decode: (text) => (new RegExp(`^[A-Za-z]{${letters}}$`).test(text) ? text.toUpperCase() : undefined),
    echo: asSent,
    textPattern: `^[A-Za-z]{${letters}}$`,
  })

/** The format of a country code: what two letters alone do not say. */
export const COUNTRY_FORMAT = 'iso-3166-1-alpha-2'

/** The code of a country (ISO 3166-1 alpha-2) in either case, read in capitals. */
export const countryCode = (about: WordOptions = {}) =>
  withCodec(
    {
      ...matchingAds('^[A-Za-z]{2}$', 'an ISO 3166-1 alpha-2 country code', { example: 'US', ...about }),
      format: COUNTRY_FORMAT,
    } as TString,
    { decode: countryCodeOf, echo: asSent },
  )

const ADS_ID = '^[0-9a-z]{1,32}$'

export const isAdsId = (text: string): boolean => new RegExp(ADS_ID).test(text)

/** The id of a record of the advertising API: base 36, read in either case. */
export const adsId = (about: WordOptions = {}) =>
  withCodec(matching(ADS_ID, { example: '8u94t', ...about }), {
    decode: (text) => (/^[0-9A-Za-z]+$/.test(text) ? text.toLowerCase() : undefined),
    echo: asSent,
    textPattern: '^[0-9A-Za-z]{1,32}$',
    expects: 'an id',
  })

export const UINT64_FORMAT = 'uint64'
const MOST_UINT64 = 2n ** 64n - 1n

export const isUint64 = (text: string): boolean => /^\d{1,20}$/.test(text) && BigInt(text) <= MOST_UINT64

const withoutLeadingZeros = (text: string) => text.replace(/^0+(?=\d)/, '')

/** The decimal id of an object of the general API: at most 64 bits without a sign, read without leading zeros, repeated as a number. */
export const decimalId = (about: WordOptions = {}) =>
  withCodec({ ...id(about), pattern: '^[0-9]{1,20}$', format: UINT64_FORMAT } as TString, {
    decode: withoutLeadingZeros,
    echo: (text) => (isUint64(text) ? exactNumber(withoutLeadingZeros(text)) : text),
    expects: 'Long',
  })

/** The keyword that the validator knows a long by; its value is the least that it may be. */
export const LONG = 'long'

export const isLongWord = (word: TSchema): boolean => LONG in word

/** A whole number of at least `min` and at most 2^63 - 1. What is far beyond is read too, so that a message can say what is too much. */
export const long = ({ min = 0, ...about }: { min?: number } & WordOptions = {}) =>
  withCodec({ [LONG]: min, ...anything<Long>(about) } as TUnsafe<Long>, {
    expects: 'Long',
    decode: (text) => (/^-?\d{1,300}$/.test(text) ? wholeNumber(text) : undefined),
  })

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d(?::?\d\d)?))?$/i

/** Reads a moment as clients write it: a day, or a time with `Z` or an offset of hours, perhaps with minutes. */
export function parseMoment(text: string): string | undefined {
  const [, day, time = '00:00:00', zone = 'Z'] = MOMENT.exec(text) ?? []
  if (day === undefined) return undefined
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase()
  const plain = `${day}T${time.length === 5 ? `${time}:00` : time}${offset}`
  return isRealMoment(plain) ? wholeSeconds(Date.parse(plain)) : undefined
}

/** A moment: UTC in whole seconds in answers, ISO 8601 with any offset, or a day alone, on the way in. */
export const adsTime = (about: WordOptions = {}) =>
  withCodec(moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', { example: '2026-03-01T12:00:00Z', ...about }), {
    decode: parseMoment,
    textPattern: '',
    expects: 'time',
    storedAs: 'time',
  })

/** What is no whole hour stays as it was sent. */
function parseHour(text: string): string | undefined {
  const read = parseMoment(text)
  return read?.endsWith(':00:00Z') && !/\.\d*[1-9]/.test(text) ? read : undefined
}

/** A moment that is a whole hour. */
export const adsHour = (about: WordOptions = {}) =>
  withCodec(moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:00:00Z$', { example: '2026-03-01T12:00:00Z', ...about }), {
    decode: parseHour,
    textPattern: '',
    expects: 'time in whole hours',
  })
