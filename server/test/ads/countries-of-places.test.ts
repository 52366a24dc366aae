import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryOf } from '../../src/endpoints/ads/line-item-curated-categories/countries-of-places.ts'

/** Place ids of countries in public use. */
const COUNTRIES = {
  '96683cc9126741d1': 'US',
  '6416b8512febefc9': 'GB',
  '3376992a082d67c7': 'CA',
  '06ef846bfc783874': 'JP',
  '1b107df3ccc0aaa1': 'BR',
  f3bfc7dcc928977f: 'FR',
  fdcd221ac44fa326: 'DE',
  ecdce75d48b13b64: 'ES',
  b850c1bfd38f30e0: 'IN',
  '3f14ce28dc7c4566': 'AU',
  '25530ba03b7d90c6': 'MX',
  c799e2d3a79f810e: 'IT',
}

test('a place that is a country is known by its place id and by its code, in either case', () => {
  for (const [place, country] of Object.entries(COUNTRIES)) {
    assert.deepEqual([countryOf(place), countryOf(place.toUpperCase())], [country, country], place)
    assert.deepEqual([countryOf(country), countryOf(country.toLowerCase())], [country, country])
  }
})

test('a place that is no country has none', () => {
  for (const place of ['5a110d312052166f', '', 'U', 'USA', 'U5', 'ZZ', 'xx', 'UK', 'ß', 'ıt', 'constructor', 'California'])
    assert.equal(countryOf(place), undefined, place)
})
