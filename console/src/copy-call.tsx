import { commandOf, curlOf, hasHidden, schemeOf, testOf } from './copy-texts.ts'
import { server } from './names.ts'
import { Copyable } from './parts/copy.tsx'
import { Reading } from './parts/loaded.tsx'
import type { Call } from './server-types.ts'

const FILL = {
  bearer: (
    <p>
      Set <code>TOKEN</code> to the token first: it is not kept.
    </p>
  ),
  basic: (
    <p>
      Set <code>KEY</code> and <code>SECRET</code> first: they are not kept.
    </p>
  ),
}

function Curl({ call }: { call: Call }) {
  const text = curlOf(call, new URL(location.href))
  const scheme = schemeOf(call)
  if (text === undefined)
    return (
      <p>
        The call was signed with OAuth 1.0a, which curl cannot do. <code>postern call</code> can.
      </p>
    )
  return (
    <>
      {(scheme === 'bearer' || scheme === 'basic') && FILL[scheme]}
      <Copyable block text={text} label="call for curl" />
    </>
  )
}

/** The call to be made again elsewhere. Secrets are not in it. */
export function CopyCall({ call }: { call: Call }) {
  const served = server.value
  if (!served) return <Reading />
  const { request, url } = call
  const isWhole = !request.truncated && (request.body !== null || request.body_bytes === 0)
  return (
    <>
      {!isWhole && <p>The body of the call is not kept as a whole: complete it.</p>}
      {hasHidden(`${url}${request.body ?? ''}`) && (
        <p>
          What is <code>***</code> was a secret: put yours there.
        </p>
      )}
      <details>
        <summary>As curl</summary>
        <Curl call={call} />
      </details>
      <details>
        <summary>As a command of Postern</summary>
        <p>It is signed with the keys of the seed.</p>
        <Copyable block text={commandOf(call, served)} label="call for postern call" />
      </details>
      <details>
        <summary>As a test in TypeScript</summary>
        <Copyable block text={testOf(call, served)} label="call as a test" />
      </details>
    </>
  )
}
