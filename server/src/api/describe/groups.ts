/** Endpoints that belong together: a tag of the OpenAPI description, and a page of the reference. */
export interface Group {
  name: string
  /** What its endpoints are for, in a sentence or two. */
  says: string
  /** The declared paths that belong to it. The first group that matches has the endpoint. */
  paths: RegExp
}

/** The group of a declared path. */
export const groupOf = (groups: readonly Group[], path: string): Group | undefined => groups.find(({ paths }) => paths.test(path))

/** Of the webhooks of the description. */
export const EVENTS_GROUP = 'Events'
