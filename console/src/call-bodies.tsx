import { BodyView } from './json-view.tsx'
import { Facts } from './parts/facts.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import type { Call, Message } from './server-types.ts'

export const useCall = (sequence: number) => useData<Call>(`requests/${sequence}`)

const Headers = ({ of, label }: { of: Record<string, string>; label: string }) => (
  <details>
    <summary>
      {label} <span class="soft">{Object.keys(of).length}</span>
    </summary>
    <Facts kind="headers" of={Object.entries(of)} />
  </details>
)

/** A message as it is kept, and in words what of it is not. */
export function MessageView({ message, label }: { message: Message; label: string }) {
  const { body, body_bytes: bytes, truncated } = message
  return (
    <section aria-label={label}>
      <p class="part">{label}</p>
      <Headers of={message.headers} label="Headers" />
      {body !== null && <BodyView text={body} label={`Body of the ${label.toLowerCase()}`} cut={truncated} />}
      {truncated && <p class="soft">Only the beginning is kept of {bytes} bytes.</p>}
      {body === null && <p class="soft">{bytes > 0 ? `The body of ${bytes} bytes is not kept.` : 'No body.'}</p>}
    </section>
  )
}

/** Request and answer of a call, read when they are opened. */
export const CallBodies = ({ sequence }: { sequence: number }) => (
  <Loading of={useCall(sequence)}>
    {(call) => (
      <>
        {call.refused && <p>{call.refused.reason}</p>}
        <MessageView message={call.request} label="Request" />
        <MessageView message={call.response} label="Answer" />
      </>
    )}
  </Loading>
)
