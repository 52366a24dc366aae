import { type DescribedPayload, resolve, type Schema } from './develop-events.ts'
import { type Json, writeJson } from './exact-json.ts'
import { Labelled } from './parts/form.tsx'

interface FieldsProps {
  /** Of the member: the last step of its path. */
  name: string
  /** Where it stands: `payload.users.101.data`. */
  path: string
  schema: Schema
  value: Json
  isRequired: boolean
  named: DescribedPayload['named']
  change: (value: Json) => void
}

const TYPES: Record<string, string> = { string: 'text', integer: 'whole number', number: 'number', boolean: 'yes or no' }

const typeOf = ({ type, format }: Schema) =>
  format === 'int64' ? 'id' : format === 'date-time' ? 'time' : type === undefined ? '' : (TYPES[type] ?? type)

/** What is written into a field, as a value of its type; anything else stays a text, which the server judges. */
function written(text: string, { type }: Schema, former: Json): Json {
  const isNumber = type === 'number' || type === 'integer' || (type === undefined && former.type === 'number')
  return isNumber && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? { type: 'number', text } : { type: 'string', value: text }
}

const textOf = (value: Json) => (value.type === 'string' ? value.value : writeJson(value, ''))

interface InputProps extends FieldsProps {
  of: { id: string; 'aria-describedby': string | undefined }
}

function Input({ path, schema, value, change, of }: InputProps) {
  if (value.type === 'literal' && value.text !== 'null')
    return (
      <input
        {...of}
        name={path}
        type="checkbox"
        checked={value.text === 'true'}
        onChange={(event) => change({ type: 'literal', text: String(event.currentTarget.checked) })}
      />
    )
  if (schema.enum)
    return (
      <select {...of} name={path} value={textOf(value)} onChange={(event) => change({ type: 'string', value: event.currentTarget.value })}>
        {schema.enum.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  return (
    <input
      {...of}
      name={path}
      autocomplete="off"
      value={textOf(value)}
      onInput={(event) => change(written(event.currentTarget.value, schema, value))}
    />
  )
}

function Leaf(props: FieldsProps) {
  const { name, schema, isRequired } = props
  const hint = [typeOf(schema), isRequired && 'required', schema.description].filter(Boolean).join(', ')
  return <Labelled label={<code>{name}</code>} hint={hint} control={(of) => <Input {...props} of={of} />} />
}

/** The fields of a value: one for each member that its example has, by its schema; a group for each object and list. */
export function SchemaFields(props: FieldsProps) {
  const { name, path, value, named, change } = props
  const schema = resolve(props.schema, named)
  if (value.type !== 'object' && value.type !== 'array') return <Leaf {...props} schema={schema} />
  const inner: { name: string; schema: Schema | undefined; value: Json; change: (value: Json) => void }[] =
    value.type === 'object'
      ? value.members.map(([member, one], place) => ({
          name: member,
          schema: schema.properties?.[member] ?? schema.additionalProperties,
          value: one,
          change: (next) => change({ ...value, members: value.members.with(place, [member, next]) }),
        }))
      : value.items.map((one, place) => ({
          name: String(place),
          schema: schema.items,
          value: one,
          change: (next) => change({ ...value, items: value.items.with(place, next) }),
        }))
  return (
    <fieldset>
      <legend>
        <code>{name}</code>
      </legend>
      {schema.description && <p class="soft">{schema.description}</p>}
      {inner.map((one) => (
        <SchemaFields
          key={one.name}
          {...one}
          path={`${path}.${one.name}`}
          schema={resolve(one.schema, named)}
          isRequired={schema.required?.includes(one.name) ?? false}
          named={named}
        />
      ))}
      {inner.length === 0 && <p class="soft">Empty.</p>}
    </fieldset>
  )
}
