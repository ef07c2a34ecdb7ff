/** Code to read and to copy. The page's script adds a button that copies it. */
export function CodeBlock({ code }: { code: string }) {
  return (
    <div className="code">
      {/* A long line scrolls sideways. So that keys can scroll it too, it takes the focus. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse must be able to scroll it
        tabIndex={0}
      >
        <code>{code}</code>
      </pre>
    </div>
  )
}
