import { get } from './api.ts'
import { BodyView } from './json-view.tsx'
import type { Call, Message } from './server-types.ts'
import { Failure, useLoaded } from './ui.tsx'

export const useCall = (sequence: number) =>
  useLoaded(String(sequence), async () => (await get<{ data: Call }>(`requests/${sequence}`)).body.data)

export const Headers = ({ of, label }: { of: Record<string, string>; label: string }) => (
  <details>
    <summary>
      {label} <span class="soft">{Object.keys(of).length}</span>
    </summary>
    <dl class="headers">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </details>
)

/** A message as it is kept, and in words what of it is not. */
export function MessageView({ message, label }: { message: Message; label: string }) {
  const { body, body_bytes: bytes, truncated } = message
  return (
    <section class="message" aria-label={label}>
      <p class="part">{label}</p>
      <Headers of={message.headers} label="Headers" />
      {body !== null && <BodyView text={body} label={`Body of the ${label.toLowerCase()}`} cut={truncated} />}
      {truncated && <p class="soft">Only the beginning is kept of {bytes} bytes.</p>}
      {body === null && <p class="soft">{bytes > 0 ? `The body of ${bytes} bytes is not kept.` : 'No body.'}</p>}
    </section>
  )
}

/** Request and answer of a call, read when they are opened. */
export function CallBodies({ sequence }: { sequence: number }) {
  const { value: call, error, reload } = useCall(sequence)
  if (error) return <Failure error={error} retry={reload} />
  if (!call) return <p class="soft">Reading…</p>
  return (
    <>
      {call.refused && <p>{call.refused.reason}</p>}
      <MessageView message={call.request} label="Request" />
      <MessageView message={call.response} label="Answer" />
    </>
  )
}
