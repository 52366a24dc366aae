import { countryCodeOf } from '../../../lib/countries.ts'

const countries: ReadonlyMap<string, string> = new Map([
  ['96683cc9126741d1', 'US'],
  ['6416b8512febefc9', 'GB'],
  ['3376992a082d67c7', 'CA'],
  ['06ef846bfc783874', 'JP'],
  ['1b107df3ccc0aaa1', 'BR'],
  ['f3bfc7dcc928977f', 'FR'],
  ['fdcd221ac44fa326', 'DE'],
  ['ecdce75d48b13b64', 'ES'],
  ['b850c1bfd38f30e0', 'IN'],
  ['3f14ce28dc7c4566', 'AU'],
  ['25530ba03b7d90c6', 'MX'],
  ['c799e2d3a79f810e', 'IT'],
])

/** The country (ISO 3166-1) of a place that is a country, by its place id or country code, case-insensitively; undefined for other places. */
export function countryOf(place: string): string | undefined {
  return countries.get(place.toLowerCase()) ?? countryCodeOf(place)
}
