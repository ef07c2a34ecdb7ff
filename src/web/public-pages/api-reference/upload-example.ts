import { publicPlaceholder } from '../../../shared/public-placeholders.ts'

/*
 * The programs in the upload guide. A test runs the one for Node against a real server, exactly as
 * the page shows it.
 */

/** Uploads one file in one PUT, with curl and jq. */
export const uploadWithCurl = `server='${publicPlaceholder('origin')}'
file=report.pdf

# 1. Sign in. The cookie is the session.
curl -fsS -o /dev/null -c cookies.txt "$server/api/auth/login" \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.org","password":"correct horse battery"}'

# 2. Start the upload.
size=$(wc -c < "$file" | tr -d ' ')
start=$(jq -n --arg name "$file" --argjson size "$size" \\
  '{fileName: $name, fileSize: $size, fileType: "application/pdf", expirationDays: "3"}' |
  curl -fsS -b cookies.txt "$server/api/files/get-upload-url" \\
    -H 'Content-Type: application/json' -d @-)

# 3. Send the bytes, with the exact type and length that were signed.
curl -fsS -T "$file" "$(jq -r .uploadUrl <<< "$start")" \\
  -H "Content-Type: $(jq -r .metadata.mimeType <<< "$start")"

# 4. Make it a file with a link.
code=$(jq '{cloudKey, metadata}' <<< "$start" |
  curl -fsS -b cookies.txt "$server/api/files/confirm-upload" \\
    -H 'Content-Type: application/json' -d @- | jq -r .shortCode)
echo "$server/s/$code"`

/** Uploads a file of any size with Node. It sends a large file in parts. */
export const uploadWithFetch = `// EMAIL=… PASSWORD=… node upload.mjs report.pdf
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'

const server = '${publicPlaceholder('origin')}'
const path = process.argv[2]
let cookie = ''

async function call(method, path, body) {
  const answer = await fetch(server + path, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(\`\${path}: \${answer.status} \${await answer.text()}\`)
  return answer
}

// 1. Sign in. The cookie is the session.
const { EMAIL: email, PASSWORD: password } = process.env
const login = await call('POST', '/api/auth/login', { email, password })
cookie = login.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ')

// 2. Start the upload.
const file = await openAsBlob(path)
const start = await call('POST', '/api/files/get-upload-url', {
  fileName: basename(path),
  fileSize: file.size,
  fileType: 'application/octet-stream',
  expirationDays: '3',
})
const { uploadUrl, cloudKey, metadata, parts } = await start.json()

// 3. Send the bytes: whole, or part by part. No cookie goes along.
async function put(url, body) {
  const headers = { 'content-type': metadata.mimeType }
  const answer = await fetch(url, { method: 'PUT', headers, body })
  if (!answer.ok) throw new Error(\`PUT: \${answer.status} \${await answer.text()}\`)
}
if (!parts) await put(uploadUrl, file)
for (let number = 1; number <= (parts?.count ?? 0); number += 1) {
  let url = parts.urls[number]
  if (!url) {
    const more = await call('POST', '/api/files/upload-parts', { cloudKey, partNumbers: [number] })
    url = (await more.json()).urls[number]
  }
  await put(url, file.slice((number - 1) * parts.size, number * parts.size))
}

// 4. Make it a file with a link.
const confirmed = await call('POST', '/api/files/confirm-upload', { cloudKey, metadata })
console.log(\`\${server}/s/\${(await confirmed.json()).shortCode}\`)`
