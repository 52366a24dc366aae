import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { posternBill } from '../../../../scripts/packages.ts'

const validate = (bill: object) => new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(bill))

test('the bill of materials of the package is valid CycloneDX 1.6', async () => {
  const bill = posternBill()
  assert.equal(await validate(bill), null)
  assert.notEqual(await validate({ ...bill, components: [{ type: 'part', name: 'x' }] }), null, 'the validator finds what is wrong')
})
