import { adsId } from '../../../api/declare/ads-words.ts'
import { resource } from '../../../api/records/resource.ts'
import { curatedCategoryWithId } from '../curated-categories/curated-categories.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { LineItem } from './line-item.ts'

/** The assignment of a curated category to a line item, whose ads appear next to its publishers (§2.8). */
export const LineItemCuratedCategory = resource({
  title: 'Line item curated category',
  name: 'line_item_curated_categories',
  notFound: 'NOT_FOUND',
  childOf: { parent: LineItem, by: 'line_item_id' },
  seedRules: [
    {
      field: 'curated_category_id',
      message: 'does not exist',
      holds: ({ curated_category_id }) => curatedCategoryWithId(curated_category_id) !== undefined,
    },
    {
      field: 'line_item_id',
      message: 'already has a curated category',
      holds: async ({ deleted, line_item_id }, count) => deleted || (await count({ line_item_id })) === 0,
    },
  ],
  fields: { line_item_id: adsId(), curated_category_id: adsId({ example: '9ddrgesiap6o' }) },
})

export const { listLineItemCuratedCategories, getLineItemCuratedCategory, deleteLineItemCuratedCategory } = regularEndpoints(
  LineItemCuratedCategory,
  {
    route: '/12/accounts/:account_id/line_item_curated_categories',
    section: '§4.8',
    changes: 'campaigns',
    list: { summary: "List the curated categories of an account's line items." },
    get: { summary: 'Get a curated category of a line item.' },
    delete: { summary: 'Remove a curated category from a line item.' },
  },
)
