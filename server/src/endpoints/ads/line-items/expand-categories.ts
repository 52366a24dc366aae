import { isDeepStrictEqual } from 'node:util'
import { adsProblem } from '../../../api/declare/problem.ts'
import { businessCategoryOf, IAB_CODE } from '../business-categories/business-categories.ts'

/** The business categories of IAB codes. Throws 404 for a code in no business category. */
export function businessCategoriesOf(codes: readonly string[]) {
  const unknown = codes.filter((code) => !businessCategoryOf(code))
  if (unknown.length > 0)
    throw adsProblem('INVALID_IAB_CATEGORY', `Expected IAB categories of businesses, got "${unknown.join()}" for categories`, 'categories')
  return [...new Set(codes.map((code) => businessCategoryOf(code)!))]
}

/** The distinct codes. Throws 404 for a text that is not an IAB code. */
function plainCodes(codes: readonly string[]): string[] {
  const unknown = codes.filter((code) => !IAB_CODE.test(code))
  if (unknown.length > 0)
    throw adsProblem('INVALID_IAB_CATEGORY', `Expected IAB categories, got "${unknown.join()}" for categories`, 'categories')
  return [...new Set(codes)]
}

/**
 * Expands `categories`: for `PREROLL_VIEWS` one code of a business category sets all codes of that category (§4.8). Removes unchanged
 * categories.
 */
export function expandCategories<Sent extends { categories?: readonly string[] | null }>(
  sent: Sent,
  { objective, categories: existing }: { objective: string; categories?: readonly string[] },
) {
  const { categories, ...others } = sent
  if (categories === undefined || isDeepStrictEqual(categories, existing)) return others
  const codes = categories ?? []
  const isExpanded = objective === 'PREROLL_VIEWS'
  return {
    ...others,
    categories: isExpanded ? businessCategoriesOf(codes).flatMap(({ iab_categories }) => iab_categories) : plainCodes(codes),
  }
}
