import { adsProblem } from '../../../api/problem.ts'
import { businessCategoryOf } from '../business-categories/business-categories.ts'

/** The business categories that IAB codes belong to. Throws 404 for codes of none. */
export function businessCategoriesOf(codes: readonly string[]) {
  const unknown = codes.filter((code) => !businessCategoryOf(code))
  if (unknown.length > 0)
    throw adsProblem('INVALID_IAB_CATEGORY', `Expected IAB categories of businesses, got "${unknown.join()}" for categories`, 'categories')
  return [...new Set(codes.map((code) => businessCategoryOf(code)!))]
}

/** What was sent, with all codes of the business categories that some codes belong to: a category is set as a whole (§4.8). */
export function withWholeCategories<Sent extends { categories?: readonly string[] | null }>(sent: Sent) {
  const { categories, ...others } = sent
  if (categories === undefined) return others
  return { ...others, categories: businessCategoriesOf(categories ?? []).flatMap(({ iab_categories }) => iab_categories) }
}
