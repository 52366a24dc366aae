import { adsProblem } from '../../../api/problem.ts'
import { businessCategoryOf } from '../business-categories/business-categories.ts'

function groupOf(code: string) {
  const group = businessCategoryOf(code)
  if (group) return group
  throw adsProblem('INVALID_IAB_CATEGORY', `${code} is not an IAB category of a business`, { parameters: { categories: [] } })
}

/** The business categories that IAB codes belong to. Throws 404 for a code of none. */
export const businessCategoriesOf = (codes: readonly string[]) => [...new Set(codes.map(groupOf))]

/** What was sent, with all codes of the business categories that some codes belong to: a category is set as a whole (§4.8). */
export function withWholeCategories<Sent extends { categories?: readonly string[] | null }>(sent: Sent) {
  const { categories, ...others } = sent
  if (categories === undefined) return others
  return { ...others, categories: businessCategoriesOf(categories ?? []).flatMap(({ iab_categories }) => iab_categories) }
}
