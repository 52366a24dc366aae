import assert from 'node:assert/strict'
import type { Parts } from '../../src/assemble/parts.ts'
import { readExactJson, writeExactJson } from '../../src/lib/numbers.ts'
import { compileCheck } from './compile-check.ts'

/** Checks every answer of a server against its declared schema. */
export function createAnswerChecks() {
  const checks = new Map<string, (value: unknown) => string | undefined>()
  const wrong: string[] = []
  const inspect: Parts['inspect'] = (endpoint, _status, value) => {
    const check = checks.get(endpoint.name) ?? compileCheck(endpoint.answer)
    checks.set(endpoint.name, check)
    const mistake = check(readExactJson(writeExactJson(value)))
    if (mistake) wrong.push(`${endpoint.name}: ${mistake}`)
  }
  return { inspect, assertAllRight: () => assert.deepEqual(wrong, [], 'answers that do not match their declared schema') }
}
