import { adsProblem } from '../../../api/problem.ts'
import { mustGet } from '../../../api/record-endpoints.ts'
import type { RecordOf } from '../../../api/resource.ts'
import type { Desk } from '../../../storage/records.ts'
import { curatedCategoryWithId } from '../curated-categories/curated-categories.ts'
import { LineItem } from '../line-items/line-item.ts'
import { TargetingCriterion } from '../targeting-criteria/targeting-criterion.ts'
import { countryOf } from './countries-of-places.ts'
import { LineItemCuratedCategory } from './line-item-curated-category.ts'

type Criterion = RecordOf<typeof TargetingCriterion.fields>

const ofContent: readonly string[] = ['CONTENT_CATEGORY', 'IAB_CATEGORY']

const isContent = ({ targeting_type }: Pick<Criterion, 'targeting_type'>) => ofContent.includes(targeting_type)

const targetsLocation = ({ targeting_type, operator_type }: Criterion) => targeting_type === 'LOCATION' && operator_type !== 'NE'

const refused = (message: string, attribute: string) => adsProblem('INVALID', message, attribute)

/** What the endpoints that give a line item a curated category say of it. */
export const curatedCategoryRules =
  'A line item has at most one curated category, and none besides criteria of the types `CONTENT_CATEGORY` and `IAB_CATEGORY`. A line item with ' +
  '`LOCATION` criteria must target a country of the category, by its ISO code or as a place; criteria with the operator `NE` do not count.'

interface Placed {
  line_item_id: string
  curated_category_id: string
}

/** Throws 400 for a line item that cannot have a curated category beside what it has (§2.8). `id` is that of the record which is to say so. */
async function assertHasRoom(desk: Pick<Desk, 'find' | 'findAmong'>, { id, line_item_id }: Placed & { id?: string }) {
  const standing = await desk.find(LineItemCuratedCategory, 'line_item_id', line_item_id)
  if (standing.some((other) => other.id !== id)) throw refused(`Line item ${line_item_id} has a curated category`, 'line_item_id')
  const contents = await desk.findAmong(TargetingCriterion, { line_item_id }, 'targeting_type', ofContent)
  if (contents.length > 0) throw refused(`Line item ${line_item_id} targets content categories`, 'line_item_id')
}

/** Throws 404 for a curated category that does not exist, and 400 for one that is available only where a line item is not shown (§2.8). */
async function assertIsAvailable(desk: Pick<Desk, 'findAmong'>, { line_item_id, curated_category_id }: Placed) {
  const category = curatedCategoryWithId(curated_category_id)
  if (!category) throw adsProblem('NOT_FOUND', `Curated category ${curated_category_id} was not found`, 'curated_category_id')
  const criteria = await desk.findAmong(TargetingCriterion, { line_item_id }, 'targeting_type', ['LOCATION'])
  const places = criteria.filter(targetsLocation)
  if (places.length > 0 && !places.some(({ targeting_value: place }) => category.country_codes.some((code) => code === countryOf(place))))
    throw refused(
      `Curated category ${category.id} is available in ${category.country_codes.join(', ')}, where line item ${line_item_id} is not shown`,
      'curated_category_id',
    )
}

/** Throws 404 for a line item or a curated category that does not exist, and 400 where the one cannot have the other. */
export async function assertCuratedCategoryFits(
  desk: Pick<Desk, 'get' | 'find' | 'findAmong'>,
  whole: Placed & { id?: string },
  changes: (field: keyof Placed) => boolean = () => true,
) {
  const isMoved = changes('line_item_id')
  if (isMoved) await mustGet(desk, LineItem, whole.line_item_id, 'line_item_id')
  if (isMoved || changes('curated_category_id')) await assertIsAvailable(desk, whole)
  if (isMoved) await assertHasRoom(desk, whole)
}

/** Throws 400 for a criterion that a line item with a curated category cannot have. */
export async function assertNoCuratedCategory(desk: Pick<Desk, 'count'>, criterion: Pick<Criterion, 'line_item_id' | 'targeting_type'>) {
  if (isContent(criterion) && (await desk.count(LineItemCuratedCategory, { line_item_id: criterion.line_item_id })) > 0)
    throw refused(`Line item ${criterion.line_item_id} has a curated category`, 'targeting_type')
}
