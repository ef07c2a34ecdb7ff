import type { ReactNode } from 'react'
import type { ZodType } from 'zod'
import { type Access, answersJson, type Endpoint } from '../../../shared/contract/endpoint.ts'
import { type ErrorCode, errorTable } from '../../../shared/contract/errors.ts'
import { type EndpointName, endpoints } from '../../../shared/contract/index.ts'
import { formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { CodeBlock } from './code-block.tsx'
import { codeSamples } from './code-samples.ts'
import { jsonSchemaOf, type SchemaPlace } from './json-schema.ts'
import { fieldsOf, type SchemaField, typeText } from './schema-fields.ts'

const accessTexts: Readonly<Record<Access, string>> = {
  visitor: 'Anybody',
  user: 'Signed in',
  admin: 'Administrator',
}

const rawTexts = {
  bytes: 'The bytes of the file, as an attachment.',
  json: 'A JSON document.',
  page: 'A page to read.',
  png: 'A PNG.',
  redirect: 'A redirection: only a browser opens this address.',
  text: 'Text.',
} as const

/**
 * Describes one call: who may make it, what it takes, what it answers, its errors and its examples.
 */
export function CallSection({ name }: { name: EndpointName }) {
  const row: Endpoint = endpoints[name]
  return (
    <section className="call" aria-labelledby={name}>
      <h3 id={name}>
        <span className="method" data-method={row.method}>
          {row.method}
        </span>{' '}
        <code>{row.path}</code>
      </h3>
      <p>
        <WithCode text={row.summary} />
      </p>
      <p className="facts">
        <span className="badge">{accessTexts[row.access]}</span>
        {row.cacheSeconds ? (
          <span className="muted">Browsers keep the answer for {row.cacheSeconds} s.</span>
        ) : null}
      </p>
      <Part title="In the path" schema={row.params} place="request" />
      <Part title="In the query" schema={row.query} place="request" />
      <Part title="Body" schema={row.body} place="request" />
      {row.bytes ? (
        <>
          <h4>Body</h4>
          <p>
            The bytes, as {row.bytes.types.join(', ')}: at most {formatSizeLimit(row.bytes.maxSize)}
            .
          </p>
        </>
      ) : null}
      <Answer row={row} />
      <Errors row={row} />
      <Examples name={name} />
    </section>
  )
}

/** Shows the parts of a text between backticks as code. */
function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, at) => {
    // The text is constant, so its parts never change their order and the key may contain the
    // index.
    const key = `${at} ${part}`
    return at % 2 === 1 ? <code key={key}>{part}</code> : part
  })
}

function Answer({ row }: { row: Endpoint }) {
  if (!answersJson(row.response)) {
    return (
      <>
        <h4>Answer</h4>
        <p>{rawTexts[row.response.raw]}</p>
      </>
    )
  }
  const schema = jsonSchemaOf(row.response, 'answer')
  return (
    <>
      <h4>Answer</h4>
      {schema.properties ? null : <p className="muted">A JSON {typeText(schema)}.</p>}
      <Fields fields={fieldsOf(schema, 'answer')} place="answer" />
    </>
  )
}

function Part(props: { title: string; schema: ZodType | undefined; place: SchemaPlace }) {
  const { title, schema, place } = props
  if (schema === undefined) return null
  const fields = fieldsOf(jsonSchemaOf(schema, place), place)
  return (
    <>
      <h4>{title}</h4>
      <Fields fields={fields} place={place} />
    </>
  )
}

function Fields({ fields, place }: { fields: readonly SchemaField[]; place: SchemaPlace }) {
  if (fields.length === 0) return null
  return (
    <dl className="fields">
      {fields.map(({ path, type, bounds, isRequired, note }) => (
        <div key={path}>
          <dt>
            <code>{path}</code>
            <span className="type">{type}</span>
            {place === 'request' && isRequired ? <span className="required">required</span> : null}
            {place === 'answer' && !isRequired ? (
              <span className="type">may be missing</span>
            ) : null}
          </dt>
          {note || bounds ? (
            <dd>
              {note ? <WithCode text={note} /> : null}
              {note && bounds ? ' ' : null}
              {bounds ? <span className="muted">{bounds}</span> : null}
            </dd>
          ) : null}
        </div>
      ))}
    </dl>
  )
}

function Errors({ row }: { row: Endpoint }) {
  if (row.errors.length === 0) return null
  return (
    <>
      <h4>Errors</h4>
      <ul className="errors">
        {byStatus(row.errors).map((code) => (
          <li key={code}>
            <span className="status">{errorTable[code].status}</span> <code>{code}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Returns these errors sorted by their status. */
export function byStatus(codes: readonly ErrorCode[]): ErrorCode[] {
  return codes.toSorted((one, other) => errorTable[one].status - errorTable[other].status)
}

function Examples({ name }: { name: EndpointName }) {
  const samples = codeSamples(name)
  if (samples === null) return null
  return (
    <div className="examples">
      <Example title="curl" code={samples.curl} />
      <Example title="fetch" code={samples.fetch} />
      {samples.answer === null ? null : (
        <Example title="Example of an answer" code={samples.answer} />
      )}
    </div>
  )
}

function Example({ title, code }: { title: ReactNode; code: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <CodeBlock code={code} />
    </details>
  )
}
