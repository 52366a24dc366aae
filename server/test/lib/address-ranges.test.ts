import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverAllAddresses } from '../../src/lib/address-ranges.ts'

/** The two halves of a network, again and again: what adds up to it. */
const halves = (prefix: string, depth: number): string[] =>
  prefix === 'IPv4'
    ? Array.from({ length: 2 ** depth }, (_, at) => `${(at * 2 ** (8 - depth)) % 256}.0.0.0/${depth}`)
    : Array.from({ length: 2 ** depth }, (_, at) => `${((at * 2 ** (16 - depth)) % 65_536).toString(16)}::/${depth}`)

for (const family of ['IPv4', 'IPv6'])
  for (const depth of [0, 1, 2, 5, 8])
    test(`the ${2 ** depth} networks of ${family} with ${depth} bits are everything together, in any order`, () => {
      const networks = halves(family, depth)
      assert.equal(coverAllAddresses(networks), true)
      assert.equal(coverAllAddresses([...networks.toReversed(), '10.0.0.0/8', '10.1.0.0/16']), true)
    })

test('without one network of public addresses they are not', () => {
  for (const missing of [32, 40, 63]) {
    assert.equal(coverAllAddresses(halves('IPv4', 8).toSpliced(missing, 1)), false, `IPv4 without ${missing}`)
    // Without ::/8 too, which holds all of IPv4.
    assert.equal(coverAllAddresses(halves('IPv6', 8).toSpliced(missing, 1).slice(1)), false, `IPv6 without ${missing}`)
  }
})

test('what no machine has as its address need not be in them', () => {
  assert.equal(
    coverAllAddresses(halves('IPv4', 8).filter((network) => !/^(0|127|2[2-5]\d)\./.test(network) || /^22[0-3]\./.test(network))),
    true,
  )
})

test('halves of two families are neither of them', () => {
  assert.equal(coverAllAddresses(['0.0.0.0/1', '8000::/1']), false)
  assert.equal(coverAllAddresses([]), false)
})
