/// The functions that apply a daemon's answers. Each works with the rights of its caller, and only the roles of hosts may call them.
///
/// An answer counts only at the position at which it was asked for, and only for the agent whose session the host's row has. So it
/// is applied once: a repetition, a second agent, and one whose session was taken over find another position.
extension FleetSchema {
  /// The SQLSTATE of an answer for another position than the present one, or about another ledger.
  static let refused = "WB001"

  private static let path = "SET search_path = pg_catalog, pg_temp"

  static let functions =
    #"""
    -- An answer as JSON. PostgreSQL stores no NUL.
    CREATE FUNCTION waybill.json(answer text) RETURNS jsonb LANGUAGE sql IMMUTABLE \#(path) AS $$
      SELECT (CASE WHEN strpos(answer, '\u0000') = 0 THEN answer
        ELSE regexp_replace(answer, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') END)::jsonb
    $$;

    -- Moves the position, if it is still the one that was answered.
    CREATE FUNCTION waybill.move(of_ledger uuid, of_session text, from_generation bigint, from_applied bigint, from_seen text,
      to_generation bigint, to_applied bigint, to_seen text, to_last bigint) RETURNS void LANGUAGE plpgsql \#(path) AS $$
    BEGIN
      UPDATE waybill.host SET generation = to_generation, applied = to_applied, seen = to_seen, last = coalesce(to_last, last),
        seen_at = now()
      WHERE ledger = of_ledger AND session = of_session AND generation = from_generation AND applied = from_applied
        AND seen IS NOT DISTINCT FROM from_seen;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'another agent writes for this ledger now' USING ERRCODE = '\#(refused)';
      END IF;
    END $$;

    -- Writes jobs as they are, except for rows that are the same already. The position says that they are newer, not the revision,
    -- which a restored ledger has had before, and which a path does not change.
    CREATE FUNCTION waybill.put(of_ledger uuid, jobs jsonb) RETURNS void LANGUAGE sql \#(path) AS $$
      INSERT INTO waybill.job AS old (ledger, number, revision, doc)
      SELECT of_ledger, (job ->> 'job')::bigint, (job ->> 'revision')::bigint, job FROM jsonb_array_elements(jobs) AS job
      ON CONFLICT (ledger, number) DO UPDATE SET revision = excluded.revision, doc = excluded.doc
      WHERE old.doc IS DISTINCT FROM excluded.doc
    $$;

    -- Applies an answer of GET /v1/changes. If whole is not null, all jobs have to be read, which are those up to this position
    -- of changes; until then the position has none.
    CREATE FUNCTION waybill.take(of_ledger uuid, of_session text, from_generation bigint, from_applied bigint, from_seen text,
      answer text, OUT to_generation bigint, OUT to_applied bigint, OUT to_seen text, OUT more boolean, OUT whole text)
      LANGUAGE plpgsql \#(path) AS $$
    DECLARE
      told jsonb := waybill.json(answer);
    BEGIN
      IF (told #>> '{ledger,uuid}')::uuid IS DISTINCT FROM of_ledger THEN
        RAISE EXCEPTION 'the daemon has another ledger now' USING ERRCODE = '\#(refused)';
      END IF;
      to_generation := told #>> '{ledger,generation}';
      to_applied := told ->> 'up_to';
      more := told ->> 'more';
      IF to_generation <> from_generation OR from_seen IS NULL OR (told ->> 'all')::boolean THEN
        whole := told ->> 'seen';
      ELSE
        to_seen := told ->> 'seen';
      END IF;
      PERFORM waybill.move(of_ledger, of_session, from_generation, from_applied, from_seen, to_generation, to_applied, to_seen,
        (told ->> 'last')::bigint);
      IF whole IS NULL THEN
        DELETE FROM waybill.job WHERE ledger = of_ledger
          AND number IN (SELECT gone::bigint FROM jsonb_array_elements_text(told -> 'gone') AS gone);
        PERFORM waybill.put(of_ledger, told -> 'jobs');
      END IF;
      -- last: readers wait for the end of this transaction for two seconds from here
      INSERT INTO waybill.event (ledger, generation, sequence, at, doc)
      SELECT of_ledger, to_generation, (event ->> 'id')::bigint, (event ->> 'at')::timestamptz, event
      FROM jsonb_array_elements(told -> 'events') AS event
      -- a host that comes back after it was forgotten has events of before
      ON CONFLICT (ledger, generation, sequence) DO UPDATE SET at = excluded.at, doc = excluded.doc;
    END $$;

    -- Applies a page of GET /v1/jobs: what there is between the last job of the page before and that of this one is what it has.
    -- Without a next page the position of changes is the one up to which these are all jobs.
    CREATE FUNCTION waybill.take_page(of_ledger uuid, of_session text, at_generation bigint, at_applied bigint, after bigint,
      whole text, page text, OUT next text, OUT last_job bigint) LANGUAGE plpgsql \#(path) AS $$
    DECLARE
      told jsonb := waybill.json(page);
    BEGIN
      next := told ->> 'next';
      last_job := coalesce((told #>> '{jobs,-1,job}')::bigint, after);
      PERFORM waybill.move(of_ledger, of_session, at_generation, at_applied, NULL, at_generation, at_applied,
        CASE WHEN next IS NULL THEN whole END, NULL);
      DELETE FROM waybill.job WHERE ledger = of_ledger AND number > after AND (next IS NULL OR number <= last_job)
        AND number NOT IN (SELECT (job ->> 'job')::bigint FROM jsonb_array_elements(told -> 'jobs') AS job);
      PERFORM waybill.put(of_ledger, told -> 'jobs');
    END $$;

    REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA waybill FROM PUBLIC;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA waybill TO \#(hosts);
    """#
}
