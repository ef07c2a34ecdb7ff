/** A block of code. The script of the page adds a button that copies the code. */
export function CodeBlock({ code }: { code: string }) {
  return (
    <div className="code">
      {/* A long line scrolls sideways. The block can take the focus, so that people can scroll
          it with the keyboard. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must scroll it too
        tabIndex={0}
      >
        <code>{code}</code>
      </pre>
    </div>
  )
}
