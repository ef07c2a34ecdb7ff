import { callGroups } from '../../../shared/contract/call-groups.ts'
import { endpoints } from '../../../shared/contract/index.ts'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { CallSection } from './call-section.tsx'
import { CodeBlock } from './code-block.tsx'
import { ErrorList } from './error-list.tsx'
import { UploadGuide } from './upload-guide.tsx'

/**
 * Returns the id of a group. The suffix `-calls` keeps it different from the ids of calls, because
 * some calls have the name of their group.
 */
function fragment(title: string) {
  return `${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-calls`
}

const signIn = `curl -c cookies.txt '${publicPlaceholder('origin')}/api/auth/login' \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.org","password":"correct horse battery"}'

curl -b cookies.txt '${publicPlaceholder('origin')}/api/files'`

const errorBody = `{
  "message": "File not found or expired",
  "code": "LINK_NOT_FOUND"
}`

/**
 * The API reference: all calls in groups, with their schemas, errors and examples, and a guide to
 * uploading. One table of endpoints makes this page and the routes of the server. So the page
 * always describes the real calls.
 */
export function ApiReferencePage() {
  return (
    <div className="article reference">
      <header>
        <h1>API reference</h1>
        <p className="muted">
          All that these pages do, for your own programs. The same as data:{' '}
          <a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1).
        </p>
      </header>
      <nav className="contents" aria-label="Contents">
        <ul>
          <li>
            <a href="#basics">Basics</a>
          </li>
          <li>
            <a href="#uploading">Upload a file</a>
          </li>
          {callGroups.map(({ title, names }) => (
            <li key={title}>
              <details>
                <summary>{title}</summary>
                <ul>
                  {names.map((name) => (
                    <li key={name}>
                      <a href={`#${name}`}>
                        <span className="method" data-method={endpoints[name].method}>
                          {endpoints[name].method}
                        </span>{' '}
                        {endpoints[name].path.replace('/api/', '')}
                      </a>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          ))}
          <li>
            <a href="#errors">Errors</a>
          </li>
        </ul>
      </nav>
      <div className="text">
        <Basics />
        <UploadGuide />
        {callGroups.map(({ title, lead, names }) => (
          <section key={title} aria-labelledby={fragment(title)}>
            <h2 id={fragment(title)}>{title}</h2>
            <p className="muted">{lead}</p>
            {names.map((name) => (
              <CallSection key={name} name={name} />
            ))}
          </section>
        ))}
        <section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          <p>
            Every code that an answer can have. Every call can answer those with a star. A sentence
            may say more than the one here.
          </p>
          <ErrorList />
        </section>
      </div>
    </div>
  )
}

function Basics() {
  return (
    <section aria-labelledby="basics">
      <h2 id="basics">Basics</h2>
      <h3>Address</h3>
      <p>
        Everything is below <code>{publicPlaceholder('origin')}</code>. Bodies and answers are JSON
        in UTF-8, unless a call says otherwise.
      </p>
      <h3>Session</h3>
      <p>
        Signing in sets a cookie, and every further call carries it. There are no keys or tokens
        besides. A browser on another site cannot make calls that change something: they are
        answered 403 <code>FOREIGN_ORIGIN</code>. Programs that send no <code>Origin</code> can.
      </p>
      <CodeBlock code={signIn} />
      <h3>Values</h3>
      <p>
        Dates are ISO 8601 in UTC, sizes are bytes. Ids and keys are texts without a meaning. Fields
        that this page does not name may be added to answers.
      </p>
      <h3>Lists</h3>
      <p>
        Long lists come in pages. Where there is more, the header <code>x-next-cursor</code> has
        what the next call sends as <code>cursor</code>.
      </p>
      <h3>Errors</h3>
      <p>
        An error has a status of 400 or more and a body like this one. <code>message</code> is a
        sentence for people, <code>code</code> is for programs. Every 429 and 503 says in{' '}
        <code>Retry-After</code> after how many seconds to ask again. A 507 says nothing of the
        kind: somebody has to make room first. An answer to <code>HEAD</code> has no body, so{' '}
        <code>X-Error-Code</code> has the code there. All codes stand <a href="#errors">below</a>.
      </p>
      <CodeBlock code={errorBody} />
    </section>
  )
}
