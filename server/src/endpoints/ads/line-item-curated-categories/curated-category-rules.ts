import { adsProblem } from '../../../api/declare/problem.ts'
import { mustGet } from '../../../api/records/account-changes.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { type CuratedCategory, curatedCategoryWithId } from '../curated-categories/curated-categories.ts'
import { LineItem } from '../resources/line-item.ts'
import { LineItemCuratedCategory } from '../resources/line-item-curated-category.ts'
import { TargetingCriterion } from '../resources/targeting-criterion.ts'
import { countryOf } from './countries-of-places.ts'

type Criterion = RecordOf<typeof TargetingCriterion.fields>
type NewCriterion = Pick<Criterion, 'line_item_id' | 'targeting_type' | 'targeting_value'> & Partial<Pick<Criterion, 'operator_type'>>

const ofContent: readonly string[] = ['CONTENT_CATEGORY', 'IAB_CATEGORY']

const isContent = ({ targeting_type }: Pick<Criterion, 'targeting_type'>) => ofContent.includes(targeting_type)

const isOfLocation = ({ targeting_type }: NewCriterion) => targeting_type === 'LOCATION'

const excludes = ({ operator_type }: NewCriterion) => operator_type === 'NE'

/** How many location criteria a line item has at most: a change of one may read them all. */
const MOST_PLACES = 1000

/** The location criteria of a line item. */
const placesOf = (transaction: Pick<AccountTransaction, 'findAmong'>, line_item_id: string) =>
  transaction.findAmong(TargetingCriterion, { line_item_id }, 'targeting_type', ['LOCATION'])

/** Whether a line item is shown in a country of the category: in every country if it targets no places, and in none that it excludes. */
function isShownWhere({ country_codes }: CuratedCategory, places: readonly NewCriterion[]) {
  const isOneOf = (code: string, some: readonly NewCriterion[]) => some.some(({ targeting_value }) => countryOf(targeting_value) === code)
  const targeted = places.filter((place) => !excludes(place))
  return country_codes.some((code) => (targeted.length === 0 || isOneOf(code, targeted)) && !isOneOf(code, places.filter(excludes)))
}

const refused = (message: string, attribute: string) => adsProblem('INVALID', message, attribute)

/** The rules as a description for the endpoints. */
export const curatedCategoryRules =
  'A line item can have at most one curated category, and not together with criteria of the types `CONTENT_CATEGORY` and `IAB_CATEGORY`. A line item with ' +
  '`LOCATION` criteria must always target a country where the category is available, by its ISO code or as a place; the operator `NE` ' +
  `excludes a country. A line item can have at most ${MOST_PLACES} of these criteria.`

interface Assignment {
  line_item_id: string
  curated_category_id: string
}

/** Throws 400 if the line item already has a curated category, other than the record `id`, or targets content categories (§2.8). */
async function assertCanAssign(
  transaction: Pick<AccountTransaction, 'find' | 'findAmong'>,
  { id, line_item_id }: Assignment & { id?: string },
) {
  const existing = await transaction.find(LineItemCuratedCategory, 'line_item_id', line_item_id)
  if (existing.some((other) => other.id !== id)) throw refused(`Line item ${line_item_id} already has a curated category`, 'line_item_id')
  const contents = await transaction.findAmong(TargetingCriterion, { line_item_id }, 'targeting_type', ofContent)
  if (contents.length > 0) throw refused(`Line item ${line_item_id} targets content categories`, 'line_item_id')
}

/** Throws 404 for an unknown curated category, and 400 if it is not available in a country where the line item is shown (§2.8). */
async function assertIsAvailable(transaction: Pick<AccountTransaction, 'findAmong'>, { line_item_id, curated_category_id }: Assignment) {
  const category = curatedCategoryWithId(curated_category_id)
  if (!category) throw adsProblem('NOT_FOUND', `Curated category ${curated_category_id} was not found`, 'curated_category_id')
  if (isShownWhere(category, await placesOf(transaction, line_item_id))) return
  throw refused(
    `Curated category ${category.id} is available in ${category.country_codes.join(', ')}, where line item ${line_item_id} is not shown`,
    'curated_category_id',
  )
}

/** Throws 404 for an unknown line item or curated category, and 400 if the line item cannot have the category. */
export async function assertCuratedCategoryFits(
  transaction: Pick<AccountTransaction, 'get' | 'find' | 'findAmong'>,
  assignment: Assignment & { id?: string },
  changes: (field: keyof Assignment) => boolean = () => true,
) {
  const isMoved = changes('line_item_id')
  if (isMoved) await mustGet(transaction, LineItem, assignment.line_item_id, 'line_item_id')
  if (isMoved || changes('curated_category_id')) await assertIsAvailable(transaction, assignment)
  if (isMoved) await assertCanAssign(transaction, assignment)
}

async function curatedCategoryOf(
  transaction: Pick<AccountTransaction, 'find'>,
  line_item_id: string,
): Promise<CuratedCategory | undefined> {
  const [existing] = await transaction.find(LineItemCuratedCategory, 'line_item_id', line_item_id)
  return existing && curatedCategoryWithId(existing.curated_category_id)
}

const noLongerShown = ({ id, country_codes }: CuratedCategory, line_item_id: string, parameter: string) =>
  refused(
    `Line item ${line_item_id} must stay shown where its curated category ${id} is available: in one of ${country_codes.join(', ')}`,
    parameter,
  )

/** Throws 400 if the line item has its maximum of location criteria. */
async function assertRoomForPlace(transaction: Pick<AccountTransaction, 'count'>, line_item_id: string) {
  if ((await transaction.count(TargetingCriterion, { line_item_id, targeting_type: 'LOCATION' }, MOST_PLACES)) >= MOST_PLACES)
    throw refused(`A line item can have at most ${MOST_PLACES} LOCATION criteria`, 'line_item_id')
}

/** Throws 400 for a new criterion that conflicts with the line item's curated category, or for which it has no room. */
export async function assertCriterionFits(transaction: Pick<AccountTransaction, 'count' | 'find' | 'findAmong'>, criterion: NewCriterion) {
  const { line_item_id } = criterion
  if (!isContent(criterion) && !isOfLocation(criterion)) return
  if (isOfLocation(criterion)) await assertRoomForPlace(transaction, line_item_id)
  const category = await curatedCategoryOf(transaction, line_item_id)
  if (!category) return
  if (isContent(criterion)) throw refused(`Line item ${line_item_id} has a curated category`, 'targeting_type')
  const places = [...(await placesOf(transaction, line_item_id)), criterion]
  if (!isShownWhere(category, places)) throw noLongerShown(category, line_item_id, 'targeting_value')
}

/** Throws 400 for a criterion without which the line item would not be shown where its curated category is available. */
export async function assertCriterionRemovable(transaction: Pick<AccountTransaction, 'find' | 'findAmong'>, criterion: Criterion) {
  const { id, line_item_id } = criterion
  if (!isOfLocation(criterion) || excludes(criterion)) return
  const category = await curatedCategoryOf(transaction, line_item_id)
  if (!category || !isShownWhere(category, [criterion])) return
  const others = (await placesOf(transaction, line_item_id)).filter((other) => other.id !== id)
  if (!isShownWhere(category, others)) throw noLongerShown(category, line_item_id, 'targeting_criterion_id')
}
