import type { DataObject } from '../../api/objects/data-object.ts'
import type { PartialError } from '../../api/objects/object-answer.ts'
import type { Hidden } from './visibility.ts'

export type Section = 'data' | 'includes'

/** Where an object was asked for: by which parameter or expansion, and with which value. */
export interface AskedFor {
  object: DataObject
  value: string
  parameter: string
  section: Section
}

const sentences: Record<Hidden, (asked: AskedFor, name: string, parameter: string) => string> = {
  'resource-not-found': ({ value }, name, parameter) => `Could not find ${name} with ${parameter}: [${value}].`,
  'not-authorized-for-resource': ({ value }, name, parameter) =>
    `Sorry, you are not authorized to see the ${name} with ${parameter}: [${value}].`,
  'resource-unavailable': ({ value }, name, parameter) => `The ${name} with ${parameter}: [${value}] is not available.`,
  'disallowed-resource': ({ value }, name, parameter) => `The ${name} with ${parameter}: [${value}] may not be shown by this API.`,
}

/** The problem of an object that is not shown (§7). Public practice names the section of those that exist. */
export function hiddenObject(kind: Hidden, asked: AskedFor): PartialError {
  const { object, value, parameter, section } = asked
  return {
    ...{ kind, title: object.title, detail: (name, parameter) => sentences[kind](asked, capital(name), parameter) },
    members: {
      ...{ value, parameter, resource_id: value, resource_type: object.resourceType },
      ...((kind !== 'resource-not-found' || section === 'includes') && { section }),
    },
  }

  function capital(name: string) {
    return kind === 'not-authorized-for-resource' ? name.charAt(0).toUpperCase() + name.slice(1) : name
  }
}

/** The problem of a field that only the owner of an object may read (§7). */
export const privateField = (field: string, { object, value, parameter, section }: AskedFor): PartialError => ({
  kind: 'not-authorized-for-field',
  title: object.title,
  detail: (name, parameter) =>
    `Sorry, you are not authorized to access '${field}' on the ${name.charAt(0).toUpperCase()}${name.slice(1)} with ${parameter} : [${value}].`,
  members: { field, value, parameter, resource_id: value, resource_type: object.resourceType, section },
})
