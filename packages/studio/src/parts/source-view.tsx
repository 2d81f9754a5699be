import { PartList, type PartProps } from "./part-views.tsx";
import { ReferenceChip } from "./text-view.tsx";

/** A source as a chip, with what it says where it says it. */
export function SourceView({ part }: PartProps<"source">) {
  const hint = part.mediaType;
  if (!part.parts || part.parts.length === 0) return <ReferenceChip {...part} hint={hint} />;
  return (
    <details className="source">
      <summary>
        <ReferenceChip {...part} hint={hint} />
      </summary>
      <div className="inside">
        <PartList parts={part.parts} />
      </div>
    </details>
  );
}
