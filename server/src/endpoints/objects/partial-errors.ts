import { named, object, oneOf, optional, text } from '../../api/declare/words.ts'
import type { DataObject } from '../../api/objects/data-object.ts'
import type { PartialError } from '../../api/objects/object-answer.ts'
import type { Hidden } from './visibility.ts'

const RESOURCE_TYPES = ['user', 'post', 'media', 'list', 'space'] as const

/** Why an object or a field is missing, beside the data: a problem with the members of its type (§7). */
export const partialErrorSchema = named(
  'PartialError',
  object({
    type: text(),
    title: text(),
    detail: optional(text()),
    value: optional(text({ min: 0 })),
    parameter: optional(text()),
    resource_id: optional(text({ min: 0 })),
    resource_type: optional({ ...oneOf(RESOURCE_TYPES), 'x-dialect': 'value' as const }),
    section: optional(oneOf(['data', 'includes'])),
    field: optional(text()),
  }),
)

export type Section = 'data' | 'includes'

/** Where an object was asked for: by which parameter or expansion, and with which value. */
export interface AskedFor {
  object: DataObject
  value: string
  parameter: string
  section: Section
}

const sentences: Record<Hidden, (asked: Pick<AskedFor, 'value' | 'parameter'>, name: string) => string> = {
  'resource-not-found': ({ parameter, value }, name) => `Could not find ${name} with ${parameter}: [${value}].`,
  'not-authorized-for-resource': ({ parameter, value }, name) =>
    `Sorry, you are not authorized to see the ${name} with ${parameter}: [${value}].`,
  'resource-unavailable': ({ parameter, value }, name) => `The ${name} with ${parameter}: [${value}] is not available.`,
  'disallowed-resource': ({ parameter, value }, name) => `The ${name} with ${parameter}: [${value}] may not be shown by this API.`,
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The problem of an object that is not shown (§7). Public practice names the section of those that exist. */
export function hiddenObject(kind: Hidden, asked: AskedFor): PartialError {
  const { object, value, parameter, section } = asked
  return {
    kind,
    detail(spell) {
      const name = spell(object.title)
      const named = kind === 'not-authorized-for-resource' ? capital(name) : name
      return sentences[kind]({ value, parameter: spell(parameter) }, named)
    },
    members: {
      value,
      parameter,
      resource_id: value,
      resource_type: object.resourceType,
      ...((kind !== 'resource-not-found' || section === 'includes') && { section }),
    },
  }
}

/** An object with a field that the viewer may not read. */
interface WithPrivateField {
  object: DataObject
  key: string
  /** How it was asked for; undefined for an object of a list, which no parameter names. */
  asked: Omit<AskedFor, 'object'> | undefined
}

/** The problem of a field that only the owner of an object may read (§7). */
export function privateField(field: string, { object, key, asked }: WithPrivateField): PartialError {
  const { parameter, value } = asked ?? { parameter: object.table.key, value: key }
  return {
    kind: 'not-authorized-for-field',
    detail: (spell) =>
      `Sorry, you are not authorized to access '${spell(field)}' on the ${capital(spell(object.title))} with ${spell(parameter)} : [${value}].`,
    members: {
      field,
      ...(asked && { value, parameter }),
      resource_id: value,
      resource_type: object.resourceType,
      section: asked?.section ?? 'data',
    },
  }
}
