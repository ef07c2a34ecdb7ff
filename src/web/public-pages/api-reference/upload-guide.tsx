import { type EndpointName, endpoints } from '../../../shared/contract/index.ts'
import { idleUploadKeptMs } from '../../../shared/rules/files/kept-times.ts'
import {
  firstPartsSigned,
  maxPartCount,
  partSizeFor,
  partUrlLifetimeMs,
} from '../../../shared/rules/files/part-plan.ts'
import { durationText } from '../../../shared/rules/format/duration-text.ts'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { CodeBlock } from './code-block.tsx'
import { uploadWithCurl, uploadWithFetch } from './upload-example.ts'

const usualPart = formatSize(partSizeFor(0))

/** Explains step by step how to upload a file, with programs that work. */
export function UploadGuide() {
  return (
    <section aria-labelledby="uploading">
      <h2 id="uploading">Upload a file, step by step</h2>
      <p>
        The server signs, and the bytes go straight to storage: to this server’s disk or to a
        bucket, in the same way.
      </p>
      <ol className="steps">
        <li>
          <h3>Start</h3>
          <p>
            <Call name="getUploadUrl" /> takes a slot of the account and answers{' '}
            <code>uploadUrl</code>, <code>cloudKey</code> and <code>metadata</code>. With an{' '}
            <code>idempotencyKey</code> of yours a lost answer costs nothing: the same key gets the
            same upload. A file of more than one part (usually {usualPart}) also gets{' '}
            <code>parts</code>: their size, how many there are, and URLs of the first{' '}
            {firstPartsSigned}.
          </p>
        </li>
        <li>
          <h3>Send the bytes</h3>
          <p>
            Either the whole file by one <code>PUT</code> to <code>uploadUrl</code>, or each part by
            a <code>PUT</code> to its own URL, in any order and several at once. All parts have{' '}
            <code>parts.size</code> bytes but for the last one; there are never more than{' '}
            {maxPartCount.toLocaleString('en')}. Every <code>PUT</code> carries these headers:
          </p>
          <dl className="fields">
            <div>
              <dt>
                <code>Content-Type</code>
                <span className="required">required</span>
              </dt>
              <dd>
                Exactly <code>metadata.mimeType</code>, for parts too. It is part of the signature.
              </dd>
            </div>
            <div>
              <dt>
                <code>Content-Length</code>
                <span className="required">required</span>
              </dt>
              <dd>
                Exactly the bytes of this body: of the file, of what is left of it with{' '}
                <code>Range</code>, or of the part. It is part of the signature. Most programs set
                it by themselves; a body of unknown length does not work.
              </dd>
            </div>
            <div>
              <dt>
                <code>x-amz-checksum-crc32</code> or <code>Content-MD5</code>
              </dt>
              <dd>
                May be left out. Which one it is, the <code>checksum</code> of the start says:{' '}
                <code>crc32</code> (four bytes, big-endian) or <code>md5</code>, in base64. A body
                that differs is refused and not kept.
              </dd>
            </div>
            <div>
              <dt>
                <code>Range</code>
              </dt>
              <dd>
                Only to go on with a whole file on a server’s disk: <code>bytes=n-</code>. Parts
                take none.
              </dd>
            </div>
          </dl>
          <p>
            No cookie goes along: the URL carries the right, so keep it secret. Success is 200 or
            204.
          </p>
        </li>
        <li>
          <h3>Confirm</h3>
          <p>
            <Call name="confirmUpload" /> with <code>cloudKey</code> and <code>metadata</code> makes
            it a file and answers it, with its <code>shortCode</code>. Before all bytes are there it
            answers <code>UPLOAD_INCOMPLETE</code> and loses nothing. Twice gives the same file.
            With the <code>sha256</code> of the file, other bytes are refused where storage computes
            it too.
          </p>
        </li>
        <li>
          <h3>Share</h3>
          <p>
            The link is <code>/s/{'{shortCode}'}</code>. Browsers get a page there, all others the
            bytes.
          </p>
        </li>
      </ol>

      <h3>The whole of it with curl</h3>
      <p>It sends the file in one piece. It needs bash and jq.</p>
      <CodeBlock code={uploadWithCurl} />

      <h3>The whole of it with fetch</h3>
      <p>For Node. It sends large files in parts.</p>
      <CodeBlock code={uploadWithFetch} />

      <h3>After an interruption</h3>
      <ul>
        <li>
          In parts: <Call name="listParts" /> tells which ones storage holds. Send the others. URLs
          of parts live for {durationText(partUrlLifetimeMs)}; <Call name="signParts" /> signs new
          ones at any time.
        </li>
        <li>
          Whole, on a server’s disk: <code>HEAD uploadUrl</code> answers{' '}
          <code>Upload-Offset: n</code>. A <code>PUT</code> with <code>Range: bytes=n-</code> goes
          on from there. A wrong <code>n</code> is answered 416 with the right one, and a newer
          request takes over from an older one, which is answered 409.
        </li>
        <li>Whole, in a bucket: send it again.</li>
        <li>
          An upload is kept for {durationText(idleUploadKeptMs)} after its last byte.{' '}
          <Call name="abortUpload" /> gives it up and frees its slot at once.
        </li>
      </ul>

      <h3>What storage answers when it cannot take a PUT</h3>
      <dl className="fields">
        <div>
          <dt>403</dt>
          <dd>
            The signature does not fit: another type, length or address, or its time is over. Sign
            anew, then send exactly what was announced.
          </dd>
        </div>
        <div>
          <dt>409</dt>
          <dd>
            <code>UPLOAD_SEALED</code>: all bytes are there, only confirm.{' '}
            <code>UPLOAD_SUPERSEDED</code>: a newer request has taken over.{' '}
            <code>CHECKSUM_MISMATCH</code>: send it again.
          </dd>
        </div>
        <div>
          <dt>503</dt>
          <dd>
            Too many transfers, a storage that is away (<code>UNAVAILABLE</code>), or a disk without
            a free byte (<code>DISK_FULL</code>). What is stored stays. Wait for{' '}
            <code>Retry-After</code>, then ask for the offset and send the rest. A full disk may
            stay so until somebody deletes something.
          </dd>
        </div>
        <div>
          <dt>507</dt>
          <dd>
            Too little free space for this file, or the cap of the server is reached. There is no{' '}
            <code>Retry-After</code>, because waiting alone may not help. What is stored stays and
            can be continued.
          </dd>
        </div>
      </dl>
    </section>
  )
}

function Call({ name }: { name: EndpointName }) {
  const { method, path } = endpoints[name]
  return (
    <a href={`#${name}`}>
      <code>
        {method} {path}
      </code>
    </a>
  )
}
