import { before } from '../../../api/declare/rules.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { curatedCategoryWithId } from '../../ads/curated-categories/curated-categories.ts'
import { IAB_CODE } from '../../ads/line-items/whole-categories.ts'
import { LineItemCuratedCategory } from '../../ads/resources/line-item-curated-category.ts'
import { badSeed } from './bad-seed.ts'

type Fields = Record<string, unknown>

const hasTimeWindow = before('start_time', 'end_time')

/** The first field that a part cannot have, and why; undefined when it can have them all. */
function wrongIn(kind: AnyResource, part: Fields, whole: Fields | undefined): [field: string, what: string] | undefined {
  const missing = Object.keys(kind.columns).find((name) => name !== kind.scope && !kind.columns[name]!.nullable && part[name] === undefined)
  if (missing !== undefined) return [missing, 'is missing']
  const other = kind.inherits.find((name) => part[name] !== whole?.[name])
  if (other !== undefined) return [other, `is not that of its ${kind.childOf!.parent.table}`]
  if (!hasTimeWindow.holds(part)) return ['end_time', 'must lie after start_time']
  const codes = (part.categories as string[] | undefined) ?? []
  if (!codes.every((code) => IAB_CODE.test(code))) return ['categories', 'are not all IAB categories']
  const category = part.curated_category_id as string | undefined
  if (category !== undefined && !curatedCategoryWithId(category)) return ['curated_category_id', 'is none that exists']
  return undefined
}

const hasCategory = async (transaction: AccountTransaction, lineItemId: string) =>
  (await transaction.count(LineItemCuratedCategory, { line_item_id: lineItemId })) > 0

/** Throws `invalid-request` for a part that an account cannot have. */
export async function assertPart(transaction: AccountTransaction, kind: AnyResource, part: Fields, whole: object | undefined) {
  const { table, childOf } = kind
  const refuse = (field: string, what: string) => badSeed('accounts', `${table}.${field}`, String(part[field] ?? ''), what)
  if (childOf && part[childOf.by] !== undefined && !whole) throw refuse(childOf.by, 'is none of the account')
  const wrong = wrongIn(kind, part, whole as Fields | undefined)
  if (wrong) throw refuse(...wrong)
  const isSecond = table === LineItemCuratedCategory.table && !part.deleted && (await hasCategory(transaction, part.line_item_id as string))
  if (isSecond) throw refuse('line_item_id', 'has a curated category')
}
