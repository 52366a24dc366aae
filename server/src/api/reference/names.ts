/** A name as it stands in an address: `OAuth 1.0a sign-in` → `oauth-1-0a-sign-in`. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** The page of a group. */
export const pathOfGroup = (name: string): string => `/docs/${slug(name)}`

/** The page of the schemas that have a name, and the place of one. */
export const OBJECTS_PATH = '/docs/objects'

export const nameOfReference = (reference: string): string => reference.split('/').at(-1)!
